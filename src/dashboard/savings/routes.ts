import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { DashboardRouteParts } from '../parts.ts'
import { Savings } from './model.ts'

export const savingsRoutes = ({ access, settings }: DashboardRouteParts) =>
  routesAt(access, 'Downloads and Reporting', '/api/ext/savings')
    .get('', () => settings.get('overview.savings'), {
      access: 'session',
      response: { 200: Savings },
      detail: { summary: 'Line speed and price that saved bytes are converted with' },
    })
    .put(
      '',
      ({ body }) => {
        settings.set('overview.savings', body)
        return body
      },
      {
        access: 'admin',
        body: example(Savings, { lineMbitPerSecond: 100, pricePerGb: 0.05, currency: 'EUR' }),
        response: { 200: Savings, 400: ErrorBody },
        detail: { summary: 'Set the line speed and the price per gigabyte' },
      },
    )
