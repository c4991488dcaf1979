import { createInterface } from 'node:readline'
import { addAbortSignal, Readable } from 'node:stream'
import type Docker from 'dockerode'
import { TransportError } from '../contract.ts'
import { statusOf } from './faults.ts'

/** Limits of a pull, milliseconds: of a first one, and of looking for a newer image. */
const firstPullMs = 15 * 60_000
const renewalMs = 30_000

/** Cuts `registry:5000/owner/name:tag`; a digest stays part of the name. */
export function imageParts(image: string): { fromImage: string; tag?: string } {
  if (image.includes('@')) return { fromImage: image }
  const at = image.lastIndexOf(':')
  if (at <= image.lastIndexOf('/')) return { fromImage: image, tag: 'latest' }
  return { fromImage: image.slice(0, at), tag: image.slice(at + 1) }
}

async function isKnown(engine: Docker, image: string): Promise<boolean> {
  try {
    await engine.getImage(image).inspect()
    return true
  } catch (error) {
    if (statusOf(error) === 404) return false
    throw error
  }
}

/** Reads the progress of a pull to its end; a refusal of the registry is a line in it. */
async function pull(engine: Docker, image: string, limitMs: number): Promise<void> {
  const abort = AbortSignal.timeout(limitMs)
  const options = { ...imageParts(image), abortSignal: abort }
  const progress = addAbortSignal(abort, Readable.from(await engine.createImage(options)))
  for await (const line of createInterface({ input: progress })) {
    // The engine's own members; only this one is needed.
    const { error } = JSON.parse(line) as { error?: string }
    if (error !== undefined) throw new Error(error)
  }
  abort.throwIfAborted()
}

/**
 * Looks for a newer image and falls back to the one that the engine already has, as without
 * internet access. Throws when there is neither.
 */
export async function provideImage(
  engine: Docker,
  image: string,
  limitMs: number = renewalMs,
): Promise<void> {
  const wasKnown = await isKnown(engine, image)
  try {
    await pull(engine, image, wasKnown ? limitMs : firstPullMs)
  } catch (cause) {
    if (wasKnown || (await isKnown(engine, image))) return
    throw new TransportError(
      'unavailable',
      `The image ${image} cannot be pulled and is not on this machine; check the internet access ` +
        'of the container engine, or load the image by hand',
      { cause },
    )
  }
}
