import { noProgress, type CrawlProgress } from '../../engines/catalogue/contract.ts'

/** Phase of a run, as the API names it. */
export const scanPhases = [
  'idle',
  'connecting',
  'processing',
  'saving',
  'resolvingOrphans',
  'importing',
  'applyingMappings',
  'authenticating',
  'refreshingCatalog',
  'completed',
  'cancelled',
  'error',
  'unknown',
] as const
export type ScanPhase = (typeof scanPhases)[number]

export const phaseTexts: Record<ScanPhase, string> = {
  idle: 'Idle',
  connecting: 'Connecting to Steam',
  processing: 'Reading product information',
  saving: 'Saving',
  resolvingOrphans: 'Looking for owners of unknown depots',
  importing: 'Importing the list',
  applyingMappings: 'Applying names to downloads',
  authenticating: 'Signing in to Steam',
  refreshingCatalog: 'Downloading the list',
  completed: 'Completed',
  cancelled: 'Cancelled',
  error: 'Failed',
  unknown: 'Unknown',
}

/** After so many connections in a row that failed, a run ends. */
export const connectAttempts = 3

/** How names of depots are looked for. */
export type MappingMode = 'github' | 'local' | 'incremental' | 'full' | 'needed'

/** The current run, or the last one of this process. */
export interface RunState extends Omit<CrawlProgress, 'phase'> {
  phase: ScanPhase
  error: string | null
  /** Steam demanded a full update during an incremental run. */
  wasForced: boolean
  /** The last scheduled incremental run needed a full one and did not start. */
  pendingFullScan: { changeGap: number; estimatedAppsToScan: number } | null
}

export const idleState = (): RunState => ({
  phase: 'idle',
  error: null,
  wasForced: false,
  pendingFullScan: null,
  ...noProgress,
})
