// Loaded before the service: throws an error at a moment chosen by the test.
process.on('SIGUSR2', () => {
  setTimeout(() => {
    throw new Error('a mistake')
  }, 0)
})
