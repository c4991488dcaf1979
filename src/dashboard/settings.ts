import { rule } from '../core/settings/rules.ts'
import { DataCap, noDataCap } from './data-cap/model.ts'
import { Savings } from './savings/model.ts'

/** Settings of the overview, with their form and their default. */
export const dashboardSettings = {
  'overview.savings': rule(Savings, { lineMbitPerSecond: null, pricePerGb: null, currency: 'EUR' }),
  'line.dataCap': rule(DataCap, noDataCap),
}
