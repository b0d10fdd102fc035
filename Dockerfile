# The image of the command: docker build -t rowlift .
# Use: docker run --rm --init -v "$PWD:/data" rowlift import contacts.csv …   (docs/usage/nightly.md)

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE README.md ./
COPY config config
COPY --from=build /app/dist/bin dist/bin
COPY --from=build /app/dist/output/page dist/output/page
COPY --from=build /app/THIRD-PARTY-NOTICES ./
RUN ln -s /app/dist/bin/rowlift.cjs /usr/local/bin/rowlift && mkdir /data && chown node:node /data
USER node
WORKDIR /data
# SIGTERM waits for the calls in flight: give the container more time to stop than --timeout (120 s).
STOPSIGNAL SIGTERM
ENTRYPOINT ["rowlift"]
CMD ["--help"]
