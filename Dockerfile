# Debian slim on purpose: the private Postgres comes as glibc binaries.
# A tag can be moved; a digest cannot. Look it up once where the image can be pulled, and build with
#   docker pull oven/bun:1.4.5-slim
#   docker image inspect --format '{{index .RepoDigests 0}}' oven/bun:1.4.5-slim
#   docker build --build-arg BASE=oven/bun:1.4.5-slim@sha256:<what that says> .
ARG BASE=oven/bun:1.4.5-slim
FROM ${BASE} AS base
WORKDIR /app

FROM base AS built
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY patches patches
RUN bun install --frozen-lockfile
COPY tools tools
COPY public public
COPY docs/numbers.md docs/grafana.json docs/
COPY CHANGELOG.md NOTICE ./
COPY src src
COPY db db
RUN bun tools/build-web.ts && bun tools/build-service.ts

FROM base AS program
COPY package.json bun.lock bunfig.toml tsconfig.json LICENSE NOTICE ./
COPY patches patches
COPY licences licences
COPY tools/slim-packages.sh /tmp/
# Peers are for compilers and editors.
RUN bun install --frozen-lockfile --production --omit=peer \
  && bash /tmp/slim-packages.sh node_modules
COPY db db
COPY src src
COPY tools/recover.ts tools/restore.ts tools/healthy.sh tools/
# Dashboard and service come built, what restores a backup runs from the sources; demonstrations
# invent their data in a checkout.
RUN rm -rf src/web src/demo

FROM base
COPY --from=program /app ./
COPY --from=built /app/dist dist
# Postgres asks for the name of the account it runs under: whoever PUID or `--user` says has one.
RUN awk -F: '{ taken[$3] } END { for (id = 1; id < 65534; id++) if (!(id in taken)) \
  printf "user%d:x:%d:%d::/:/usr/sbin/nologin\n", id, id, id }' /etc/passwd >>/etc/passwd
# A new volume takes over the mode, so that it can be written to whatever `--user` says.
RUN mkdir -p /data /logs /cache && chmod 1777 /data

# Slow network disks are read by up to 64 threads; Bun starts them only when they are needed.
ENV NODE_ENV=production PORT=8080 DATA_PATH=/data UV_THREADPOOL_SIZE=64
VOLUME ["/data"]
EXPOSE 8080
# Asked often, so that what waits for its start does not wait half a minute: older engines cannot ask
# more often only while it starts.
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=6 \
  CMD ["bash", "tools/healthy.sh"]
# The program is the first process and ends on SIGTERM by itself: engines, databases, Postgres.
STOPSIGNAL SIGTERM
CMD ["bun", "dist/service/main.js"]
