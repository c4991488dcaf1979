import type { Core } from '../../core/core.ts'
import type { Resolve } from '../../core/lib/chosen-address.ts'
import { type Outside, OutsideError } from '../../core/lib/outside.ts'
import { MailError, sendMail } from './mail.ts'
import type { Message } from './message.ts'
import { postOf } from './requests.ts'
import type { Target } from './targets.ts'

const timeoutMs = 15_000

/** Delivers one message. Throws SendError. */
export type Send = (target: Target, message: Message, signal: AbortSignal) => Promise<void>

/** Why a message was not delivered; names the host and a status, never an address or a token. */
export class SendError extends Error {}

/**
 * One attempt over HTTP or SMTP. Redirects are not followed, so that a token reaches the chosen
 * server only, and the body of the answer is not read.
 */
export function createSend(
  parts: Pick<Core, 'config'> & { outside: Outside; resolve?: Resolve },
): Send {
  const { config, outside, resolve } = parts

  async function post(target: Target, message: Message, signal: AbortSignal): Promise<void> {
    const { url, headers, body } = postOf(target, message, config.notifications)
    const request = {
      url,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      isChosen: true,
      attempts: 1,
      timeoutMs,
      signal,
    } as const
    await outside
      .get(request, async (response) => response.body?.cancel())
      .catch((error: unknown) => {
        if (!signal.aborted) throw error
        throw new OutsideError(`${new URL(url).host} did not answer in time`, null, error)
      })
  }

  return async (target, message, signal) => {
    try {
      await (target.kind === 'smtp'
        ? sendMail(target, message, resolve)
        : post(target, message, signal))
    } catch (error) {
      const isOurs = error instanceof OutsideError || error instanceof MailError
      throw new SendError(isOurs ? error.message : 'The message could not be sent')
    }
  }
}
