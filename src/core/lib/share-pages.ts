/** Carries the token of a share link. */
export const shareHeader = 'X-Share-Link'

/**
 * Pages that a share link can open: the report of an event for everyone who was there, a party's page
 * on the phones of its guests, and its large screen. A route names the pages whose links may call it
 * (`shared` on its line); its `:id` is then the event, which must be that of the link.
 */
export const sharePageNames = ['report', 'party', 'kiosk'] as const
export type SharePage = (typeof sharePageNames)[number]
