/** Runs before the first paint; follows the system's appearance while no theme is chosen. */
import { paint } from './appearance.ts'

paint()
matchMedia('(prefers-color-scheme: light)').addEventListener('change', () => paint())
