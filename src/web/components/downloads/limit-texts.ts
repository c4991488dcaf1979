import type { api } from '../../api/client.ts'
import type { Key } from '../../locales/translate.ts'

type Call = ReturnType<typeof api.ext.downloads>['bottleneck']['get']
export type Bottleneck = NonNullable<Awaited<ReturnType<Call>>['data']>

/** What limited a download, and what that means. */
export const limitTexts: Record<Bottleneck['verdict'], [label: Key, text: Key]> = {
  internet: ['limit.internet', 'limit.internetText'],
  origin: ['limit.origin', 'limit.originText'],
  singleConnection: ['limit.singleConnection', 'limit.singleConnectionText'],
  cacheDisk: ['limit.cacheDisk', 'limit.cacheDiskText'],
  clientNetwork: ['limit.clientNetwork', 'limit.clientNetworkText'],
  revalidation: ['limit.revalidation', 'limit.revalidationText'],
  none: ['limit.none', 'limit.noneText'],
  notEnoughData: ['limit.notEnoughData', 'limit.aloneText'],
}
