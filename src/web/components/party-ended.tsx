import { t } from '../locales/translate.ts'
import { Notice } from './card.tsx'

/** Replaces the pages of a party whose link opens nothing any more. */
export const PartyEnded = () => (
  <main className="grid min-h-dvh place-items-center">
    <Notice title={t('party.ended')}>{t('party.endedText')}</Notice>
  </main>
)
