FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY dashboard/package.json dashboard/
RUN npm ci
COPY sdk sdk
COPY dashboard dashboard
RUN node sdk/browser/build.ts && node dashboard/build.ts

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY dashboard/package.json dashboard/
RUN npm ci --omit=dev --include=prod
COPY . .
COPY --from=build /app/sdk/browser/dist sdk/browser/dist
COPY --from=build /app/dashboard/dist dashboard/dist
# Compiled modules are kept where the service's user cannot write, under its number: docs/decisions/0031
RUN node --no-allocation-site-pretenuring --import=./src/compileCache.js src/main.ts --version \
  && node --no-allocation-site-pretenuring --import=./src/compileCache.js --input-type=module -e \
  'await Promise.all(["src/cli/Run.ts", "src/http/pipeline/Server.ts", "src/graphql/GraphqlRoute.ts", "layers/nats/JobQueue.ts", "layers/http2/WrapperHttp2Client.ts", "layers/oauth/IdentityProviders.ts", "layers/mail/SmtpProvider.ts", "layers/mail/OwnMailSender.ts"].map((path) => import(`${process.cwd()}/${path}`)))' \
  && cd node_modules/.cache/heliograph \
  && for kept in *-0; do mv "$kept" "${kept%-0}-$(id -u node)"; done \
  && chmod -R a+rX .
# What DATA_DIR may name: an empty volume that is put there takes over whose it is.
RUN install -d -m 700 -o node -g node /data
USER node
EXPOSE 8080
# The process itself gets the signals: no shell, no npm between it and the supervisor.
CMD ["node", "--max-semi-space-size=16", "--max-old-space-size=512", "--no-allocation-site-pretenuring", "--import=./src/compileCache.js", "src/main.ts", "serve"]
