# The rating desk and workbench with everything that judging needs: docker compose up
FROM python:3.13-slim AS build
# A compiler for the kernel of scoring; without one the wheel would do the same, slower.
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml hatch_build.py README.md LICENSE constraints.txt ./
COPY src src
RUN pip wheel --no-cache-dir --wheel-dir /wheels -c constraints.txt ".[judges,postgres]"

FROM python:3.13-slim
RUN useradd --create-home --uid 1000 haechi && install -d -o haechi /studies
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels "haechi[judges,postgres]" && rm -rf /wheels
USER haechi
WORKDIR /studies
VOLUME /studies
EXPOSE 8000
# Keys of providers come from the environment of the container and are never written.
ENTRYPOINT ["haechi"]
CMD ["serve", "/studies", "--host", "0.0.0.0"]
