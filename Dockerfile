# syntax=docker/dockerfile:1

FROM python:3.12-slim AS build
WORKDIR /build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1

# What kbot needs, at the locked versions and hashes; a layer of its own, so that a change of kbot's code leaves it alone.
COPY requirements.lock ./
RUN python -m venv --without-pip /opt/kbot \
 && pip --python /opt/kbot/bin/python install --require-hashes --only-binary :all: -r requirements.lock

# Further providers, such as EXTRAS=openai or EXTRAS=anthropic,google: the newest that fit what is locked.
ARG EXTRAS=""
COPY requirements-dev.lock ./
RUN sed '/--hash/d; s/ *\\$//' requirements-dev.lock > versions.txt \
 && pip install --constraint versions.txt hatchling
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY adapters adapters
COPY migrations migrations
RUN python -m hatchling build -t wheel -d dist \
 && sed '/--hash/d; s/ *\\$//' requirements.lock > versions.txt \
 && wheel=$(ls dist/*.whl) \
 && pip --python /opt/kbot/bin/python install --only-binary :all: --constraint versions.txt "$wheel${EXTRAS:+[$EXTRAS]}"


FROM python:3.12-slim
RUN useradd --uid 10001 --create-home --home-dir /var/lib/kbot kbot \
 && install --directory --owner kbot --group kbot /var/lib/kbot/data
COPY --from=build /opt/kbot /opt/kbot
ENV PATH=/opt/kbot/bin:$PATH KBOT_HOME=/var/lib/kbot/data PYTHONUNBUFFERED=1
WORKDIR /var/lib/kbot
USER kbot
HEALTHCHECK --interval=60s --timeout=20s --start-period=60s --retries=3 CMD ["kbot", "doctor", "--quick"]
ENTRYPOINT ["kbot"]
CMD ["chat"]
