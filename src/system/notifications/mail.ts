import { isIP } from 'node:net'
import { chosenAddress, ForbiddenAddress, type Resolve } from '../../core/lib/chosen-address.ts'
import { orLate } from '../../core/lib/within.ts'
import type { Message } from './message.ts'
import type { Target } from './targets.ts'

/** For each step of the conversation with the mail server. */
const stepMs = 10_000
/** For the whole message. */
const wholeMs = 30_000

/** The mail was not sent. The message names the server and its code, never what was sent. */
export class MailError extends Error {}

/** By the library's codes. */
const failures: Readonly<Record<string, string>> = {
  ECONNECTION: 'closed the connection',
  EPROTOCOL: 'does not answer as a mail server',
  ESOCKET: 'cannot be reached',
  ETIMEDOUT: 'did not answer in time',
}

/** What the server did, as the end of a sentence; where others do the same, in their words. */
function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed for an unknown reason'
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }
  if (code === 'ETLS') return 'does not offer STARTTLS'
  if (typeof responseCode === 'number') return `refused with ${responseCode}`
  if (/certificate/i.test(error.message)) return 'has a certificate that is not trusted'
  if (/WRONG_VERSION/.test(error.message)) return 'does not use TLS on this port'
  return failures[String(code)] ?? `failed: ${typeof code === 'string' ? code : 'unknown reason'}`
}

/** Sends one mail. Throws MailError. The library is loaded by the first mail. */
export async function sendMail(
  { options, secrets }: Target,
  message: Message,
  resolve?: Resolve,
): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const { host, port, security, user } = options
  const address = await chosenAddress(String(host), resolve).catch((error: unknown) => {
    if (error instanceof ForbiddenAddress) throw new MailError(error.message)
    throw new MailError(`${host} ${failureOf(error)}`)
  })
  const transport = createTransport({
    host: address,
    ...(isIP(String(host)) === 0 && { tls: { servername: String(host) } }),
    port: Number(port),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user !== undefined && { auth: { user: String(user), pass: secrets.password ?? '' } }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const mail = {
    from: String(options.from),
    to: String(options.to),
    subject: `[Larder] ${message.title}`,
    text: `${message.text === '' ? message.title : message.text}\n`,
    date: message.raisedAt,
  }
  try {
    const sent = transport.sendMail(mail).then(() => true)
    if (!(await orLate(sent, wholeMs, false))) throw new MailError(`${host} took too long`)
  } catch (error) {
    if (error instanceof MailError) throw error
    throw new MailError(`${host} ${failureOf(error)}`)
  } finally {
    transport.close()
  }
}
