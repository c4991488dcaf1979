/** The logo: a shelf with jars. */
export const Logo = ({ size = 20 }: { size?: number }) => (
  <svg
    aria-hidden="true"
    width={size}
    height={size}
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    className="flex-none text-cache"
  >
    <path d="M2 6.5h16M2 12h16M2 17.5h16" strokeLinecap="round" />
    <path d="M5 6V3.4M9 6V2.6M6.5 11.4V9M13 11.4V8.6M4.5 17v-2.6M10 17v-3M14.5 17v-2.4" />
  </svg>
)
