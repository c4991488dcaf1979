/** Ways to reach people. */
export const targetKinds = ['webhook', 'ntfy', 'gotify', 'discord', 'telegram', 'smtp'] as const
/** `starttls` refuses a server without it; `none` sends in clear text. */
export const mailSecurities = ['tls', 'starttls', 'none'] as const
