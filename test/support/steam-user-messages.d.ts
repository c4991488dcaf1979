// The messages of the library, which has no types.
declare module 'steam-user/protobufs/generated/_load.js' {
  const messages: unknown
  export default messages
}
