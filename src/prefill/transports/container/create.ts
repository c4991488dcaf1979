/*
 * `prefill/transports/container` runs each daemon in a container. Containers of other
 * installations are never touched: ours carry the installation's id as a label; a name held by any
 * other container is reported, not freed. Labels also hold the session, so that a restart finds
 * persistent daemons; their secret is read back from the container's environment. It is also kept
 * for the next container of the account: the published image of Xbox encrypts its sign-in with
 * it. Everything else with our label is removed, with its anonymous volumes. Only the named volume
 * with an account's login stays. The published images differ in user, so the folder shared with a
 * container is open to all users, inside one that only ours can enter. Containers run without
 * capabilities, with `no-new-privileges`, 2 GiB of memory and 512 processes at most.
 *
 * A proxy that restricts the engine's socket must allow: `GET /version`, images (inspect, create),
 * containers (list, create, inspect, start, stop, kill, delete, logs, exec), exec (start,
 * inspect), deleting volumes.
 */
import type Docker from 'dockerode'
import { TransportError } from '../contract.ts'
import { messageOf, statusOf, tolerating } from './faults.ts'
import { labels } from './names.ts'

/** Attempts to create a container under a name that its predecessor may still hold. */
const retries = 3

export interface CreateRules {
  installation: string
  /** Pause before each further attempt, milliseconds. */
  retryMs: number
  signal: AbortSignal
}

/** The container that has exactly this name; the engine's filter also finds parts of names. */
async function holderOf(engine: Docker, name: string): Promise<Docker.ContainerInfo | null> {
  const found = await engine.listContainers({ all: true, filters: { name: [name] } })
  return found.find(({ Names }) => Names.includes(`/${name}`)) ?? null
}

/** Frees a name that is held by a container of ours. A foreign one is left alone. */
async function freeName(engine: Docker, name: string, installation: string): Promise<void> {
  const holder = await holderOf(engine, name)
  if (holder === null) return
  if (holder.Labels[labels.installation] !== installation) {
    throw new TransportError(
      'busy',
      `A container named ${name} exists that does not belong to this installation; remove or ` +
        'rename it',
    )
  }
  await removeContainer(engine, holder.Id)
}

/** Whether a container that has been removed may still hold its name. */
const isNameTaken = (error: unknown) =>
  statusOf(error) === 409 && /name .*in use|conflict/i.test(messageOf(error))

/**
 * Creates a container. Waits for a predecessor that is being removed, and then removes it. Throws
 * TransportError, or the engine's error.
 */
export async function createContainer(
  engine: Docker,
  options: Docker.ContainerCreateOptions & { name: string },
  { installation, retryMs, signal }: CreateRules,
): Promise<Docker.Container> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await engine.createContainer(options)
    } catch (error) {
      if (!isNameTaken(error)) throw error
      if (attempt > retries) {
        const text = `The name ${options.name} is still in use by a container that is being removed`
        throw new TransportError('busy', text, { cause: error })
      }
      // The last attempt follows the removal of the name's holder.
      if (attempt === retries) await freeName(engine, options.name, installation)
      else await Bun.sleep(retryMs)
    }
  }
}

/**
 * Removes a container that may be running, gone already, or being removed by another request. Its
 * anonymous volumes go with it; the named one with the login stays.
 */
export async function removeContainer(engine: Docker, id: string): Promise<void> {
  await tolerating([404, 409], () => engine.getContainer(id).remove({ force: true, v: true }))
}

/** Stops a container, at once or after a grace period of a second. */
export async function stopContainer(
  engine: Docker,
  id: string,
  { isForced }: { isForced: boolean },
): Promise<void> {
  const container = engine.getContainer(id)
  // 304, 409: not running.
  await tolerating([304, 404, 409], () => (isForced ? container.kill() : container.stop({ t: 1 })))
}
