import { existsSync } from 'node:fs'
import type Docker from 'dockerode'
import type { Config } from '../../core/config.ts'

/** An engine that does not answer within this time is taken for away, milliseconds. */
const answerTimeoutMs = 5000

/**
 * The machine's container engine, or null when there is none to ask: its socket is not handed to
 * us and no address is set. The library is loaded with the first question; most sites never ask.
 */
export async function openContainerEngine({
  containers,
}: Pick<Config, 'containers'>): Promise<Docker | null> {
  const { engine } = containers
  if ('socketPath' in engine && !existsSync(engine.socketPath)) return null
  const { default: Client } = await import('dockerode')
  return new Client({ ...engine, timeout: answerTimeoutMs })
}

/** Whether there is an engine that could be asked. */
export const hasContainerEngine = ({ containers: { engine } }: Pick<Config, 'containers'>) =>
  !('socketPath' in engine) || existsSync(engine.socketPath)
