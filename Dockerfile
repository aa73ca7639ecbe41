# syntax=docker/dockerfile:1
# Two images: `--target gateway` (the default) runs the gateway, the workers or the migrations on stores of yours;
# `--target all-in-one` brings Postgres and Redis along, as `npm start` does.

FROM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY engine/store/patches engine/store/patches
# npm installs what a workspace needs only where the workspace is.
COPY gateway/client/package.json gateway/client/
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm run pack -- /pack && npm run pack -- /pack-with-stores --stores

FROM debian:trixie-slim AS base
COPY --from=build /usr/local/bin/node /usr/local/bin/node
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home --home-dir /data dispatch
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
VOLUME /data
EXPOSE 8080

FROM base AS all-in-one
RUN apt-get update \
    && apt-get install -y --no-install-recommends redis-server \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /pack-with-stores .
USER 10001
HEALTHCHECK --interval=10s --start-period=60s CMD ["node", "dist/bin/health.js"]
CMD ["node", "dist/bin/launcher.js"]

FROM base AS gateway
COPY --from=build /pack .
USER 10001
HEALTHCHECK --interval=10s --start-period=20s CMD ["node", "dist/bin/health.js"]
CMD ["node", "--max-semi-space-size=64", "--enable-source-maps", "dist/bin/gateway.js"]
