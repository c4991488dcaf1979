/**
 * Builds the dashboard into dist/web, or into the folder given as argument. Files in /assets have a
 * hash or a version in their names; texts and scripts have compressed copies.
 */
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwind from 'bun-plugin-tailwind'
import { dashboardLicences } from './notice.ts'
import { buildScripts } from './web-scripts.ts'

const root = join(import.meta.dir, '..')
const outdir = resolve(process.argv[2] ?? join(root, 'dist/web'))
const assets = join(outdir, 'assets')
/** Smaller files gain nothing. */
const compressBytesMin = 1024

/** Builds one file into /assets and returns its URL. */
async function buildAsset(source: string, options: Partial<Bun.BuildConfig>): Promise<string> {
  const result = await Bun.build({
    ...options,
    entrypoints: [join(root, source)],
    outdir: assets,
    minify: true,
    naming: '[name]-[hash].[ext]',
  })
  const path = result.outputs[0]?.path
  if (path === undefined) throw new AggregateError(result.logs, `${source} was not built`)
  return `/assets/${basename(path)}`
}

rmSync(outdir, { recursive: true, force: true })
mkdirSync(assets, { recursive: true })

/** At the root, which is its scope, and always under this name, under which browsers look for a newer one. */
async function buildServiceWorker(): Promise<void> {
  const result = await Bun.build({
    entrypoints: [join(root, 'src/web/app/service-worker.ts')],
    outdir,
    minify: true,
    format: 'iife',
  })
  if (!result.success) throw new AggregateError(result.logs, 'the service worker was not built')
}

const [scripts, style, boot] = await Promise.all([
  buildScripts(root, outdir),
  // Copied below: the bundler would inline the font into the style sheet.
  buildAsset('src/web/style/app.css', { plugins: [tailwind], external: ['/assets/*'] }),
  // The stored theme must apply before the first paint; the policy forbids inline scripts, so it is
  // a file of its own.
  buildAsset('src/web/app/theme-boot.ts', { format: 'iife' }),
  buildServiceWorker(),
])

// URLs start at the root: relative ones would break every deep link.
const head = [
  `<script src="${boot}"></script>`,
  `<link rel="stylesheet" href="${style}">`,
  ...scripts.preloads.map((path) => `<link rel="modulepreload" href="${path}">`),
  `<script type="module" src="${scripts.entry}"></script>`,
]
const index = readFileSync(join(root, 'public/index.html'), 'utf8')
writeFileSync(join(outdir, 'index.html'), index.replace('</head>', `${head.join('')}</head>`))

copyFileSync(
  join(root, 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  join(assets, 'inter-latin-5.3.woff2'),
)

// The reference page loads the viewer from here, not from another origin.
copyFileSync(
  join(root, 'node_modules/@scalar/api-reference/dist/browser/standalone.js'),
  join(outdir, 'scalar.js'),
)

// Explanations of figures link to the definitions of their terms.
copyFileSync(join(root, 'docs/numbers.md'), join(outdir, 'numbers.txt'))
// What others wrote is copied to every browser, and their licences with it.
writeFileSync(join(outdir, 'licences.txt'), dashboardLicences())
copyFileSync(join(root, 'NOTICE'), join(outdir, 'notice.txt'))
// Downloaded from the page of the metrics.
copyFileSync(join(root, 'docs/grafana.json'), join(outdir, 'grafana.json'))

const shellFiles = readdirSync(join(root, 'public')).filter((name) => !name.endsWith('.html'))
for (const name of shellFiles) copyFileSync(join(root, 'public', name), join(outdir, name))

/** Copies in both encodings that browsers accept; without HTTPS that is gzip alone. */
function compress(path: string): void {
  const bytes = readFileSync(path)
  writeFileSync(`${path}.gzip`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
}

for (const path of new Bun.Glob('**/*.{css,js,svg,txt}').scanSync({
  cwd: outdir,
  absolute: true,
})) {
  if (statSync(path).size >= compressBytesMin) compress(path)
}
