import { join } from 'node:path'

/** The service runs from a bundle in `dist/service` (`tools/build-service.ts`), tests from the sources. */
const bundle = /^(.*)\/dist\/service\/.*\.js$/.exec(import.meta.path)?.[1]

/** Folder of the program, below which lies what it reads beside its code: migrations, the dashboard. */
export const programFolder = bundle ?? join(import.meta.dir, '../../..')

/** Path of a script that runs in a thread or a process of its own, such as `engines/disk/disk.worker`. */
export const programScript = (name: string): string =>
  bundle === undefined
    ? join(programFolder, 'src', `${name}.ts`)
    : join(bundle, 'dist/service', `${name}.js`)
