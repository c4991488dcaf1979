import { expect, test } from 'bun:test'
import { WidgetSummary } from '../../../../system/widgets/model.ts'
import { badgeExample, homepageExample } from './examples.ts'

interface Widget {
  url: string
  headers: { Authorization: string }
  mappings: { field: string }[]
}

test('the example for Homepage is YAML with fields of the summary', () => {
  const text = homepageExample('http://larder.lan:5000', 'larder_w_x')
  const [service] = Bun.YAML.parse(text) as { Larder: { widget: Widget } }[]
  const widget = service?.Larder.widget
  expect(widget?.url).toBe('http://larder.lan:5000/api/widgets/summary')
  expect(widget?.headers.Authorization).toBe('Bearer larder_w_x')
  const fields = widget?.mappings.map(({ field }) => field) ?? []
  expect(fields.length).toBeGreaterThan(2)
  expect(fields.filter((field) => !(field in WidgetSummary.properties))).toEqual([])
})

test('the address of the badge carries figure and token', () => {
  const url = new URL(badgeExample('http://larder.lan:5000', 'larder_w_x'))
  expect(Object.fromEntries(url.searchParams)).toEqual({ figure: 'saved', token: 'larder_w_x' })
})
