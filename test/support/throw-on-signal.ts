// Loaded before the service: a mistake in some part of it, at a moment that a test chooses.
process.on('SIGUSR2', () => {
  setTimeout(() => {
    throw new Error('a mistake')
  }, 0)
})
