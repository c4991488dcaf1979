export * from './access.ts'
export * from './credentials.ts'
export * from './operations.ts'
export * from './settings.ts'
