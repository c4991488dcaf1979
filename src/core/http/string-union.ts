export { stringUnion } from '../lib/schema.ts'
