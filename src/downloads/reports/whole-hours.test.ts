import { describe, expect, test } from 'bun:test'
import { hasWholeHours } from './whole-hours.ts'

const now = new Date('2026-11-21T12:00:00Z')

describe('time zones', () => {
  test.each([
    ['UTC', true],
    ['Europe/Berlin', true],
    ['America/New_York', true],
    ['Asia/Kolkata', false],
    ['Asia/Kathmandu', false],
    ['Australia/Adelaide', false],
    // Daylight saving of half an hour: whole hours in winter only.
    ['Australia/Lord_Howe', false],
    ['America/St_Johns', false],
  ])('%s has whole hours: %p', (zone, expected) => {
    expect(hasWholeHours(zone, now)).toBe(expected)
  })
})
