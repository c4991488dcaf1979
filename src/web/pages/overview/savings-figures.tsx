import type { Savings } from '../../../dashboard/savings/model.ts'
import { savedWith } from '../../app/savings.ts'
import { Further } from '../../components/lead.tsx'
import { moneyAmount, timeAmount } from '../../format/converted.ts'
import { countText } from '../../format/numbers.ts'
import { t } from '../../locales/translate.ts'

/** Saved bytes as time on the line and as money, as far as the installation knows both. */
export function SavingsFigures({ saved, savings }: { saved: number; savings: Savings }) {
  const { lineMbitPerSecond, pricePerGb, currency } = savings
  const { seconds, money } = savedWith(saved, savings)
  const speed = countText(lineMbitPerSecond ?? 0)
  const price = `${countText(pricePerGb ?? 0)} ${currency}`
  return (
    <>
      {seconds !== null && (
        <Further amount={timeAmount(seconds)} title={t('lead.atSpeed', { speed })} />
      )}
      {money !== null && (
        <Further amount={moneyAmount(money, currency)} title={t('lead.atPrice', { price })} />
      )}
    </>
  )
}
