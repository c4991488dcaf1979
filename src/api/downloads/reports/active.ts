/** A download is active while its last byte is younger than this. */
export const activeSeconds = 15

/** Downloads that ended after this moment are active. */
export const activeSince = (now: Date): Date => new Date(now.getTime() - activeSeconds * 1000)
