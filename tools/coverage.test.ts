import { expect, test } from 'bun:test'
import { coverageOf } from './coverage.ts'

const report = `TN:
SF:src/a.ts
DA:1,1
LF:10
LH:9
end_of_record
SF:src/web/b.tsx
LF:100
LH:0
end_of_record
SF:db/c.ts
LF:5
LH:5
end_of_record
`

test('adds up the counted files only', () => {
  expect(coverageOf(report, (path) => !path.startsWith('src/web/'))).toEqual({
    lines: 15,
    covered: 14,
  })
})
