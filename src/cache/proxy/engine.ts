import { existsSync } from 'node:fs'
import type Docker from 'dockerode'
import type { Config } from '../../core/config.ts'

/** An engine that does not answer within this time counts as unavailable, milliseconds. */
const answerTimeoutMs = 5000

/**
 * The machine's container engine, or null without one: no socket is mounted and no address is set.
 * The library is loaded on first use; most sites never need it. A request is given up when the
 * engine sends nothing for `timeoutMs`.
 */
export async function openContainerEngine(
  { containers }: Pick<Config, 'containers'>,
  timeoutMs = answerTimeoutMs,
): Promise<Docker | null> {
  const { engine } = containers
  if ('socketPath' in engine && !existsSync(engine.socketPath)) return null
  const { default: Client } = await import('dockerode')
  return new Client({ ...engine, timeout: timeoutMs })
}

/** Whether a container engine is configured. */
export const hasContainerEngine = ({ containers: { engine } }: Pick<Config, 'containers'>) =>
  !('socketPath' in engine) || existsSync(engine.socketPath)
