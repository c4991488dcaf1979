/** Carries the token of a share link. */
export const shareHeader = 'X-Share-Link'

/**
 * Pages that a share link can open, and what each is about. A route names the pages whose links may
 * call it (`shared` on its line); its `:id` is then the subject, which must be that of the link.
 */
export const sharePages = {
  /** The report of an event, for everyone who was there. */
  report: { about: 'event' },
  /** The page of a party on the phones of its guests. */
  party: { about: 'event' },
  /** The large screen of a party. */
  kiosk: { about: 'event' },
} as const satisfies Record<string, { about: 'event' }>

export type SharePage = keyof typeof sharePages
export type ShareSubject = (typeof sharePages)[SharePage]['about']

// The keys of the table above.
export const sharePageNames = Object.keys(sharePages) as [SharePage, ...SharePage[]]

export const pagesAbout = (kind: ShareSubject): SharePage[] =>
  sharePageNames.filter((page) => sharePages[page].about === kind)
