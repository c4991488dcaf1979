import type { Key } from '../../../locales/translate.ts'
import type { FaultId } from './faults.ts'
import type { Domain, Result, Service, State } from './faults.ts'

type Path = Result['contentReport']['paths'][number]

export const faultTexts: Record<FaultId, { fault: Key; remedy: Key }> = {
  noCache: { fault: 'statusCheck.fault.noCache', remedy: 'statusCheck.remedy.noCache' },
  dnsSilent: { fault: 'statusCheck.fault.dnsSilent', remedy: 'statusCheck.remedy.dnsSilent' },
  wrongDns: { fault: 'statusCheck.fault.wrongDns', remedy: 'statusCheck.remedy.wrongDns' },
  mismatched: { fault: 'statusCheck.fault.mismatched', remedy: 'statusCheck.remedy.mismatched' },
  unresolved: { fault: 'statusCheck.fault.unresolved', remedy: 'statusCheck.remedy.unresolved' },
  unverified: { fault: 'statusCheck.fault.unverified', remedy: 'statusCheck.remedy.unverified' },
  blocked: { fault: 'statusCheck.fault.blocked', remedy: 'statusCheck.remedy.blocked' },
  httpsOnly: { fault: 'statusCheck.fault.httpsOnly', remedy: 'statusCheck.remedy.httpsOnly' },
}

export const serviceTexts: Record<Service['status'], Key> = {
  resolved: 'statusCheck.service.resolved',
  partial: 'statusCheck.service.partial',
  unverified: 'statusCheck.service.unverified',
  unresolved: 'statusCheck.service.unresolved',
  disabled: 'statusCheck.service.disabled',
}

export const domainTexts: Record<Domain['status'], Key> = {
  resolved: 'statusCheck.domainState.resolved',
  mismatched: 'statusCheck.domainState.mismatched',
  unresolved: 'statusCheck.domainState.unresolved',
  unverified: 'statusCheck.domainState.unverified',
  blocked: 'statusCheck.domainState.blocked',
}

export const protocolTexts: Record<Path['protocolStatus'], Key> = {
  notRun: 'statusCheck.protocol.notRun',
  bothUsable: 'statusCheck.protocol.bothUsable',
  httpUsable: 'statusCheck.protocol.httpUsable',
  httpsOnlyCandidate: 'statusCheck.protocol.httpsOnlyCandidate',
  inconclusive: 'statusCheck.protocol.inconclusive',
}

export const sampleTexts: Record<
  Exclude<Result['contentReport']['availability'], 'available'>,
  Key
> = {
  noSamples: 'statusCheck.samples.noSamples',
  unreadable: 'statusCheck.samples.unreadable',
  logMissing: 'statusCheck.samples.logMissing',
}

export const modeTexts: Record<State['resolverMode'], { label: Key; note: Key }> = {
  auto: { label: 'statusCheck.mode.auto', note: 'statusCheck.modeNote.auto' },
  bridge: { label: 'statusCheck.mode.bridge', note: 'statusCheck.modeNote.bridge' },
  host: { label: 'statusCheck.mode.host', note: 'statusCheck.modeNote.host' },
}
