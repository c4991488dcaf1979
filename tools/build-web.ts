/** Builds the dashboard into dist/web: index.html at the root, everything else hashed in /assets. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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

// The reference page loads the viewer from here; nothing comes from another origin.
copyFileSync(
  join(root, 'node_modules/@scalar/api-reference/dist/browser/standalone.js'),
  join(outdir, 'assets/scalar.js'),
)

const shellFiles = readdirSync(join(root, 'public')).filter((name) => !name.endsWith('.html'))
for (const name of shellFiles) copyFileSync(join(root, 'public', name), join(outdir, name))
