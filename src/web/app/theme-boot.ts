/** Runs before the first paint and follows the system while no theme was chosen. */
import { paint } from './look.ts'

paint()
matchMedia('(prefers-color-scheme: light)').addEventListener('change', () => paint())
