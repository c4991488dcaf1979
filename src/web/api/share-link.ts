/**
 * The token of a share link stands behind the `#` of the address, where no server sees it. A `.` ends
 * it; what follows is for the page.
 */
const [token = ''] = location.hash.slice(1).split('.')

/** Calls that the link opens are made with this; it counts before the cookie of a session. */
export const asLink = { headers: { 'X-Share-Link': token } }
