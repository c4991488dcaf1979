# syntax=docker/dockerfile:1
# Debian slim on purpose: the private Postgres comes as glibc binaries.
FROM oven/bun:1.4.5-slim AS base
WORKDIR /app

FROM base AS dashboard
COPY package.json bun.lock ./
RUN bun install --frozen-lockfile
COPY tsconfig.json bunfig.toml ./
COPY public public
COPY src src
COPY tools tools
RUN bun tools/build-web.ts

FROM base AS packages
COPY package.json bun.lock ./
RUN bun install --frozen-lockfile --production

FROM base
COPY --from=packages /app/node_modules node_modules
COPY --from=dashboard /app/dist dist
COPY package.json bunfig.toml tsconfig.json LICENSE ./
COPY db db
COPY src src

ENV NODE_ENV=production PORT=8080 DATA_PATH=/data
RUN mkdir -p /data /logs /cache
VOLUME ["/data"]
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/health`)).ok ? 0 : 1)"]
# The program is the first process and ends on SIGTERM by itself: engines, databases, Postgres.
STOPSIGNAL SIGTERM
CMD ["bun", "src/main.ts"]
