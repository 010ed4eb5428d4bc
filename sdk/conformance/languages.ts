/* How each SDK's driver is built and started, and what a machine needs for it. */

export interface Language {
  readonly name: string
  /** Below sdk/, where commands are run. */
  readonly directory: string
  /** A command that answers where the tools are, and how Debian gets them. */
  readonly probe: ReadonlyArray<string>
  readonly packages: ReadonlyArray<string>
  readonly elsewhere: string
  /** Commands that make of the sources what runs; checks of the sources among them. */
  readonly build: ReadonlyArray<ReadonlyArray<string>>
  readonly drivers: Readonly<Record<string, ReadonlyArray<string>>>
  readonly env?: Readonly<Record<string, string>>
  /** Why a machine may lack what this language needs: then it is said that it was not run, and nothing fails. */
  readonly mayBeMissing?: string
  /** Whether bodies and queries have no types, and values of the language's own in them. */
  readonly untyped?: boolean
  /** Whether texts have encodings. */
  readonly encodings?: boolean
  /** Whether programs fork, and go on with clients made before. */
  readonly forks?: boolean
  /** Drivers whose clients run in an event loop, of which a program may have several. */
  readonly loops?: ReadonlyArray<string>
  /** Drivers that cannot be cancelled from outside, and why. */
  readonly uncancellable?: Readonly<Record<string, string>>
}

/** Those that take longest begin. */
export const LANGUAGES: ReadonlyArray<Language> = [
  {
    name: "python",
    directory: "python",
    untyped: true,
    forks: true,
    probe: ["python3", "-m", "venv", "--without-pip", "--help"],
    packages: ["python3", "python3-venv"],
    elsewhere: "Python 3.9 or newer with venv: https://www.python.org/downloads/",
    build: [
      ["python3", "-m", "venv", ".venv"],
      [
        ".venv/bin/pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "httpx>=0.25,<1",
        "mypy==1.18.2",
        "fastapi<1"
      ],
      [".venv/bin/mypy", "--no-error-summary", "heliograph", "conformance/typed.py"]
    ],
    drivers: {
      "python, blocking": [".venv/bin/python", "conformance/driver.py"],
      "python, asynchronous": [".venv/bin/python", "conformance/driver.py", "--async"]
    },
    loops: ["python, asynchronous"],
    env: { PYTHONDONTWRITEBYTECODE: "1" },
    uncancellable: { "python, blocking": "nothing can break off a call that blocks; the asynchronous client can" }
  },
  {
    name: "java",
    directory: "java",
    probe: ["mvn", "--version"],
    packages: ["default-jdk-headless", "maven"],
    elsewhere: "a JDK 17 or newer and Maven: https://maven.apache.org/install.html",
    build: [
      ["mvn", "--quiet", "--batch-mode", "-DskipTests", "package"],
      ["sh", "-c", "javac -Werror -d target/conformance -cp target/classes $(find src/conformance -name '*.java')"]
    ],
    drivers: {
      java: [
        "java",
        "-Xmx48m",
        "-XX:+UseSerialGC",
        // Else the JDK itself repeats a GET on a connection that was closed.
        "-Djdk.httpclient.redirects.retrylimit=1",
        "-cp",
        "target/classes:target/conformance",
        "dev.heliograph.conformance.Driver"
      ]
    }
  },
  {
    name: "go",
    directory: "go",
    probe: ["go", "version"],
    packages: ["golang-go"],
    elsewhere: "Go 1.22 or newer: https://go.dev/dl/",
    build: [
      ["sh", "-c", 'files=$(gofmt -l .); [ -z "$files" ] || { echo "gofmt: $files"; exit 1; }'],
      ["go", "vet", "./..."],
      ["go", "build", "-o", "build/driver", "./conformance"]
    ],
    drivers: { go: ["build/driver"] }
  },
  {
    name: "ruby",
    directory: "ruby",
    untyped: true,
    encodings: true,
    forks: true,
    probe: ["ruby", "--version"],
    packages: ["ruby"],
    elsewhere: "Ruby 3.0 or newer: https://www.ruby-lang.org/en/downloads/",
    build: [
      ["sh", "-c", "for file in $(find lib conformance -name '*.rb'); do ruby -wc $file >/dev/null || exit 1; done"],
      ["mkdir", "-p", "build"],
      ["gem", "build", "--quiet", "--output", "build/heliograph.gem", "heliograph.gemspec"]
    ],
    drivers: { ruby: ["ruby", "-W1", "conformance/driver.rb"] },
    uncancellable: { ruby: "nothing can break off a call that blocks, but for the end of its thread" }
  },
  {
    name: "php",
    directory: "php",
    untyped: true,
    forks: true,
    probe: [
      "php",
      "-r",
      "exit(extension_loaded('curl') && (is_file('vendor/autoload.php') || stream_resolve_include_path('GuzzleHttp/autoload.php')) ? 0 : 1);"
    ],
    packages: ["php-cli", "php-curl", "php-guzzlehttp-guzzle"],
    elsewhere: "PHP 8.1 or newer with curl, and `composer install` in sdk/php: https://www.php.net/downloads",
    build: [
      ["sh", "-c", "for file in $(find src conformance -name '*.php'); do php -l $file >/dev/null || exit 1; done"]
    ],
    drivers: { php: ["php", "-d", "memory_limit=64M", "conformance/driver.php"] },
    uncancellable: { php: "nothing can break off a call that blocks" }
  },
  {
    name: "node",
    directory: "node",
    untyped: true,
    probe: ["node", "--version"],
    packages: [],
    elsewhere: "npm ci",
    build: [],
    drivers: { node: ["node", "--max-semi-space-size=2", "conformance/driver.js"] }
  },
  {
    name: "csharp",
    directory: "dotnet",
    probe: ["sh", "-c", "dotnet --list-sdks | grep -q '^\\([89]\\|[1-9][0-9]\\)\\.'"],
    packages: [],
    elsewhere: "the SDK of .NET 8 or newer: https://dotnet.microsoft.com/download",
    mayBeMissing: "Debian has no SDK of .NET",
    build: [["dotnet", "build", "--nologo", "--verbosity", "quiet", "--configuration", "Release", "Conformance"]],
    drivers: { csharp: ["dotnet", "Conformance/bin/Release/net8.0/Conformance.dll"] }
  }
]
