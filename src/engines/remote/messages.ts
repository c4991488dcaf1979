/*
 * Engines of a node. The node hosts the workers that need its disks; the service has the same
 * facades as for its own threads, whose `Engine` gets another worker: `peer.ts` sends its jobs over
 * the connection, and `serve.ts` runs them in the node's engines. The node supervises its threads,
 * the service its jobs. When the connection ends, the service's jobs fail as after a crash, and
 * those of the node are cancelled. `guards.ts` decides which jobs a node takes, and for which of
 * its own folders.
 */
import type { FromEngine, SentJob } from '../engine.ts'

/** Engines that a node hosts. */
export const nodeEngines = [
  'disk',
  'log-scan',
  'log-tails',
  'log-counts',
  'cache',
  'logs',
  'proxy',
] as const
export type NodeEngine = (typeof nodeEngines)[number]

/** To a node. */
export type ToNode =
  | ({ kind: 'job'; engine: NodeEngine } & SentJob)
  | { kind: 'cancel'; engine: NodeEngine; id: number }
  /** The worker is of no further use; see `EngineWorker.end`. */
  | { kind: 'end'; engine: NodeEngine }

/** From a node. */
export type FromNode =
  | { kind: 'engine'; engine: NodeEngine; message: FromEngine<unknown> }
  /** The first entries of an answer that is a long list. */
  | { kind: 'part'; engine: NodeEngine; id: number; entries: unknown[] }

/** Entries of a list that one message has at most: messages are limited in size. */
export const entriesPerMessage = 2000

export const isNodeEngine = (name: unknown): name is NodeEngine =>
  nodeEngines.some((engine) => engine === name)
