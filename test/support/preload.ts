// Tests never read the machine's own settings; each builds its configuration from a plain object.
process.env.TZ = 'UTC'
