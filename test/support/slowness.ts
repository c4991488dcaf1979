/**
 * How much slower this machine is than the one for which the limits were chosen: at least 1.
 * `tools/test.ts` measures it once for all test processes; a single file runs with 1.
 */
export const slowness = Math.max(1, Number(process.env['LARDER_TEST_SLOWNESS'] ?? 1))
