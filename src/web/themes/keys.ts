/** Colour names of the theme format, in the order of its description. */
const groups = [
  'primaryColor secondaryColor accentColor',
  'bgPrimary bgSecondary bgTertiary bgHover bgElevated bgSurface bgSurfaceHover bgSurfaceActive',
  'bgOverlay textPrimary textSecondary textMuted textAccent textPlaceholder',
  'dragHandleColor dragHandleHover',
  'borderPrimary borderSecondary borderElevated borderHover borderWell borderFocus',
  'navBg navBorder navTabActive navTabActiveBorder navTabInactive navTabHover navMobileMenuBg',
  'navMobileItemHover',
  'success successBg successText warning warningBg warningText error errorBg errorText',
  'info infoBg infoText waiting waitingBg waitingText',
  'alphaColor betaColor gammaColor deltaColor epsilonColor originColor wsusColor ubisoftColor',
  'gogColor rockstarColor arenanetColor bsgColor cityofheroesColor codColor daybreakColor',
  'frontierColor neverwinterColor nexusmodsColor nintendoColor pathofexileColor renegadexColor',
  'sonyColor squareColor tesoColor testColor warframeColor wargamingColor',
  'alphaFaint alphaOnBorder alphaStrong betaFaint betaOnBorder betaStrong',
  'gammaFaint gammaOnBorder gammaStrong',
  'cardBg cardBorder cardOutline buttonBg buttonHover buttonText inputBg inputBorder inputFocus',
  'badgeBg badgeText floatingIconColor',
  'checkboxAccent checkboxBorder checkboxBg checkboxCheckmark checkboxShadow checkboxHoverShadow',
  'checkboxHoverBg checkboxFocus sliderAccent sliderThumb sliderTrack progressBar progressBg',
  'hitRateHighBg hitRateHighText hitRateMediumBg hitRateMediumText hitRateLowBg hitRateLowText',
  'hitRateWarningBg hitRateWarningText',
  'actionResetBg actionResetHover actionProcessBg actionProcessHover actionDeleteBg',
  'actionDeleteHover actionStopBg actionStopHover',
  'iconBgBlue iconBgGreen iconBgEmerald iconBgPurple iconBgIndigo iconBgOrange iconBgYellow',
  'iconBgCyan iconBgTeal iconBgRed',
  'chartColor1 chartColor2 chartColor3 chartColor4 chartColor5 chartColor6 chartColor7 chartColor8',
  'gameColor1 gameColor2 gameColor3 gameColor4 gameColor5 gameColor6 gameColor7 gameColor8',
  'gameColor9 gameColor10 gameColor11 gameColor12 gameColor13 gameColor14 gameColor15 gameColor16',
  'gameColor17 gameColor18 gameColor19 gameColor20 gameColorOther',
  'chartBorderColor chartGridColor chartTextColor chartCacheHitColor chartCacheMissColor',
  'scrollbarTrack scrollbarThumb scrollbarHover',
  'publicAccessBg publicAccessText publicAccessBorder',
  'securedAccessBg securedAccessText securedAccessBorder',
  'userSessionColor userSessionBg guestSessionColor guestSessionBg activeSessionColor',
  'activeSessionBg',
  'eventColor1 eventColor2 eventColor3 eventColor4 eventColor5 eventColor6 eventColor7 eventColor8',
  'fireworkColor1 fireworkColor2 fireworkColor3 fireworkColor4 fireworkColor5 fireworkColor6',
  'fireworkColor7 fireworkColor8 fireworkRocketColor fireworkGlowColor',
]

export const themeKeys: ReadonlySet<string> = new Set(groups.flatMap((group) => group.split(' ')))

/** A theme file must have these. */
export const requiredKeys = ['primaryColor', 'bgPrimary', 'bgSecondary', 'textPrimary'] as const

/** Shadows rather than colours; not used here. */
export const shadowKeys: ReadonlySet<string> = new Set(['checkboxShadow', 'checkboxHoverShadow'])
