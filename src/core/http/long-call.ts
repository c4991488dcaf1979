interface PatientServer {
  timeout(request: Request, seconds: number): void
}

/**
 * Lets one call take its time: without it a connection on which nothing is sent for ten seconds is
 * closed. Whole seconds, 255 at most. Null: there is no server, as in tests.
 */
export function allowSeconds(server: PatientServer | null, request: Request, seconds: number) {
  server?.timeout(request, seconds)
}
