import manifest from '../../../package.json'

/** Version of this build, from package.json. */
export const version: string = manifest.version
