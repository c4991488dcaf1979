const guid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const file = new RegExp(`^.*?(/filestreamingservice/files/${guid})`)
const twoGuids = new RegExp(`^.*${guid}.*${guid}[^/]*`)

/**
 * The part of a path that identifies one title: a streamed file, or a package directory with at
 * least two GUIDs. Null when the path has neither. Lower-cased: hosts differ in spelling.
 */
export function epsilonFragment(path: string): string | null {
  const lower = path.toLowerCase()
  return file.exec(lower)?.[1] ?? twoGuids.exec(lower)?.[0] ?? null
}
