/** Builds the dashboard into dist/web: index.html at the root, everything else hashed in /assets. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import tailwind from 'bun-plugin-tailwind'

const root = join(import.meta.dir, '..')
const outdir = join(root, 'dist/web')

rmSync(outdir, { recursive: true, force: true })
mkdirSync(join(outdir, 'assets'), { recursive: true })

const result = await Bun.build({
  entrypoints: [join(root, 'public/index.html')],
  outdir,
  // Without it asset URLs are relative and every deep link breaks.
  publicPath: '/',
  minify: true,
  splitting: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [tailwind],
  // Copied below: the bundler would write the font into the style sheet.
  external: ['/assets/*'],
  naming: {
    entry: '[name].[ext]',
    chunk: 'assets/[name]-[hash].[ext]',
    asset: 'assets/[name]-[hash].[ext]',
  },
})
if (!result.success) {
  for (const line of result.logs) console.error(line)
  process.exit(1)
}

// The stored theme has to apply before the first paint; the policy forbids inline scripts, so it is
// a file of its own. Links to files with fixed names are added here: the bundler would rename them.
const boot = await Bun.build({
  entrypoints: [join(root, 'src/web/app/theme-boot.ts')],
  outdir: join(outdir, 'assets'),
  minify: true,
  format: 'iife',
  naming: '[name]-[hash].[ext]',
})
const bootPath = boot.outputs[0]?.path
if (bootPath === undefined) {
  for (const line of boot.logs) console.error(line)
  process.exit(1)
}
const indexPath = join(outdir, 'index.html')
const head = [
  `<script src="/assets/${basename(bootPath)}"></script>`,
  '<link rel="manifest" href="/manifest.webmanifest">',
  '<link rel="icon" href="/icon.svg" type="image/svg+xml">',
  '<link rel="apple-touch-icon" href="/icon-192.png">',
].join('')
const index = readFileSync(indexPath, 'utf8')
writeFileSync(indexPath, index.replace('</title>', `</title>${head}`))

copyFileSync(
  join(root, 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
  join(outdir, 'assets/inter-latin-5.3.woff2'),
)

// The reference page loads the viewer from here; nothing comes from another origin.
copyFileSync(
  join(root, 'node_modules/@scalar/api-reference/dist/browser/standalone.js'),
  join(outdir, 'assets/scalar.js'),
)

const shellFiles = readdirSync(join(root, 'public')).filter((name) => !name.endsWith('.html'))
for (const name of shellFiles) copyFileSync(join(root, 'public', name), join(outdir, name))
