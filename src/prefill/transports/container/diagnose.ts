import type Docker from 'dockerode'
import type { Clock } from '../../../core/lib/clock.ts'
import { adviceFor } from '../../diagnostics/advice.ts'
import { testNetwork } from '../../diagnostics/run.ts'
import { type NetworkDiagnostics, type RunningDaemon, TransportError } from '../contract.ts'
import { runInContainer } from './exec.ts'

/** Of one command, milliseconds. */
const commandMs = 15_000

/** Tests from inside a daemon's container what it can reach. Throws the engine's errors. */
export async function diagnose(
  engine: Docker,
  { platform, containerId, cache }: RunningDaemon,
  clock: Clock,
): Promise<NetworkDiagnostics> {
  if (containerId === null) throw new TransportError('failed', 'The daemon has no container')
  const container = engine.getContainer(containerId)
  const { HostConfig } = await container.inspect()
  const facts = {
    ...(await testNetwork(platform, (command) => runInContainer(container, command, commandMs))),
    useHostNetworking: HostConfig.NetworkMode === 'host',
    lancacheIpInjected: cache.address,
    lancacheIpSource: cache.source,
  }
  return { ...facts, testedAt: clock.now().toISOString(), advice: adviceFor(facts) }
}
