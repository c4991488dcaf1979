/** The service must not start here and now. The message is the one line that an operator sees. */
export class StartRefused extends Error {}
