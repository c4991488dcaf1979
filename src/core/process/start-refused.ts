/** The service refuses to start. The message is the one line that an operator sees. */
export class StartRefused extends Error {}
