import { join } from 'node:path'
import { rolldown, type OutputChunk, type Plugin } from 'rolldown'

/** Change rarely, so browsers cache them across versions. */
const framework =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|clsx|@tanstack\/(query-core|react-query|history|router-core|react-router|store|react-store))\//

/**
 * Parts of libraries of which the first page uses a few, although the index of the library names them
 * all: the bundler finds those few.
 */
const laterParts =
  /lucide-react\/dist\/esm\/icons\/|@tanstack\/.*(infiniteQuery|useInfiniteQuery|queriesObserver|useQueries|mutationObserver|useMutation\.)/i

/** What pages are made of. Parts that many of them use are one file. */
const pageParts = /src\/web\/(api|app|components|format)\/|lucide-react\//

/** Texts as one value; the bundler would export each of them under a name of its own. */
const texts: Plugin = {
  name: 'texts',
  transform: {
    filter: { id: /\.json$/ },
    handler: (code) => ({
      code: `export default ${JSON.stringify(JSON.parse(code))}`,
      moduleType: 'js',
    }),
  },
}

interface ModuleGraph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null
}

/** Returns a predicate: whether a module is loaded together with the given one. */
function loadedWith(start: string) {
  const found = new Set<string>()
  return (id: string, graph: ModuleGraph): boolean => {
    const open = found.size === 0 ? [start] : []
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue
      found.add(next)
      open.push(...(graph.getModuleInfo(next)?.importedIds ?? []))
    }
    return found.has(id)
  }
}

/** URLs of `name` and everything that it imports statically. */
function loadedBy(start: OutputChunk, chunks: readonly OutputChunk[]): string[] {
  const names = new Set([start.fileName])
  for (const name of names) {
    for (const wanted of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) {
      names.add(wanted)
    }
  }
  return [...names].map((name) => `/${name}`)
}

export interface WebScripts {
  entry: string
  /** Static imports of the entry; the page preloads them without waiting for the entry. */
  preloads: string[]
}

/**
 * Bundles the dashboard's scripts into `<outdir>/assets`. The first screen is three files
 * (libraries, first page, texts): many small ones compress badly and load one after the other.
 */
export async function buildScripts(root: string, outdir: string): Promise<WebScripts> {
  const entry = join(root, 'src/web/main.tsx')
  const isFirst = loadedWith(entry)
  const bundle = await rolldown({
    input: { main: entry },
    cwd: root,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [texts],
    moduleTypes: { '.md': 'text' },
    optimization: { inlineConst: { mode: 'all', pass: 3 } },
    onLog: (level, log, handle) => {
      // Directives for React server components have no effect here.
      if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
    },
  })
  const { output } = await bundle.write({
    dir: outdir,
    format: 'esm',
    minify: true,
    entryFileNames: 'assets/[name]-[hash].js',
    chunkFileNames: 'assets/[name]-[hash].js',
    codeSplitting: {
      groups: [
        {
          name: (id) => (framework.test(id) && !laterParts.test(id) ? 'framework' : null),
          debugName: 'framework',
          priority: 2,
        },
        {
          name: (id, graph) => (isFirst(id, graph) && !laterParts.test(id) ? 'shell' : null),
          debugName: 'shell',
          priority: 1,
        },
        // Of 36 scripts that the cache page fetched, half were below 1 KB.
        { name: 'parts', test: pageParts, minShareCount: 6 },
      ],
    },
  })
  await bundle.close()
  const chunks = output.filter((part) => part.type === 'chunk')
  const start = chunks.find(({ isEntry }) => isEntry)
  if (start === undefined) throw new Error('the dashboard has no entry')
  const [first = '', ...preloads] = loadedBy(start, chunks)
  return { entry: first, preloads }
}
