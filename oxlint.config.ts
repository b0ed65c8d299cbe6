import { defineConfig } from 'oxlint';

/**
 * Only `app` touches the outside world; elsewhere it is handed in, so that a test can hand in its
 * own.
 */
const OUTSIDE_WORLD = [
  {
    object: 'Date',
    property: 'now',
    message: 'Take a Clock (#base/clock.ts): tests set the time.',
  },
  {
    object: 'Math',
    property: 'random',
    message: 'Take randomness as a parameter: tests repeat a run.',
  },
  {
    object: 'process',
    property: 'env',
    message: 'Only #app reads the environment; settings are handed in.',
  },
  {
    object: 'process',
    property: 'exit',
    message: 'Only the entry point ends the process: buffers must flush.',
  },
];

/**
 * Rules of the categories below that say no more than the review does, or are meant for other
 * programs.
 */
const NOT_FOR_US = {
  /** A log, a stream and a test go one step after the other on purpose. */
  'eslint/no-await-in-loop': 'off',
  'eslint/no-underscore-dangle': 'off',
  'import/no-named-as-default': 'off',
  'import/no-named-as-default-member': 'off',
  'import/no-unassigned-import': 'off',
  /** Quadratic it is not: each result is a new object. */
  'oxc/no-map-spread': 'off',
  'promise/always-return': 'off',
  'promise/no-callback-in-promise': 'off',
  'unicorn/consistent-function-scoping': 'off',
  'unicorn/prefer-set-has': 'off',
  /** For windows; here messages go to worker threads. */
  'unicorn/require-post-message-target-origin': 'off',
  /**
   * Assertions may stand in a helper or a property; test/rules/tidy.test.ts asks for one in each
   * file.
   */
  'vitest/expect-expect': 'off',
  'vitest/no-conditional-expect': 'off',
  'vitest/no-standalone-expect': 'off',
} as const;

/**
 * Of React: what is for older versions, for its compiler, or for components that the rule only
 * takes for some.
 */
const REACT_NOT_FOR_US = {
  'react/react-in-jsx-scope': 'off',
  'react/exhaustive-effect-dependencies': 'off',
  'react/incompatible-library': 'off',
  'react/memo-dependencies': 'off',
  'react/no-unstable-nested-components': 'off',
  'react/purity': 'off',
  'react/refs': 'off',
  'react/set-state-in-effect': 'off',
} as const;

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'node', 'vitest'],
  jsPlugins: ['./tools/lint-plugin.ts'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  options: { reportUnusedDisableDirectives: 'error' },
  ignorePatterns: [
    'node_modules',
    'web/dist',
    'web/dist.*',
    'server/dist',
    'server/dist.*',
    'docs/dist',
    'docs/dist.*',
    'coverage',
    '/data',
    'samples/*/endpoints',
    'cli/templates',
    'server/system-endpoints',
  ],
  rules: {
    'trellis/import-table': 'error',
    // A circle through a type is one too: its files are only understood together.
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'oxc/no-barrel-file': ['error', { threshold: 0 }],
    'unicorn/prefer-node-protocol': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-namespace': 'error',
    'eslint/eqeqeq': 'error',
    'eslint/no-var': 'error',
    'eslint/prefer-const': 'error',
    'eslint/no-empty': 'error',
    'eslint/no-throw-literal': 'error',
    'eslint/no-warning-comments': [
      'error',
      { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' },
    ],
    'eslint/max-lines': ['error', { max: 500 }],
    'eslint/max-lines-per-function': ['error', { max: 70, skipComments: true }],
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    ...NOT_FOR_US,
  },
  overrides: [
    {
      files: ['contract/src/**', 'endpoint/src/**', 'client/src/**', 'server/src/**'],
      excludeFiles: ['server/src/app/**'],
      rules: { 'eslint/no-console': 'error' },
    },
    {
      files: ['server/src/**'],
      excludeFiles: [
        'server/src/app/**',
        'server/src/base/clock.ts',
        // It refuses to run user code where the environment is not empty.
        'server/src/runtime/sandbox/isolation.ts',
        // The entry point of a process of its own, which ends whatever a file does to it.
        'server/src/files/extraction/extraction-worker.ts',
        '**/*.test.ts',
        '**/testing/**',
      ],
      rules: { 'eslint/no-restricted-properties': ['error', ...OUTSIDE_WORLD] },
    },
    {
      files: ['web/src/**'],
      plugins: ['react'],
      rules: {
        ...REACT_NOT_FOR_US,
        'react/rules-of-hooks': 'error',
        'react/exhaustive-deps': 'error',
      },
    },
    {
      files: ['**/*.test.ts', '**/testing/**'],
      rules: { 'eslint/max-lines-per-function': 'off' },
    },
    {
      // What people import who install the package.
      files: ['client/src/trellis.ts'],
      rules: { 'oxc/no-barrel-file': 'off' },
    },
    {
      // Made of the rows of the contract: as long as there are operations.
      files: ['client/src/operation-table.ts'],
      rules: { 'eslint/max-lines': 'off' },
    },
    {
      // Scripts without a module loader: nobody awaits them as a module.
      files: ['server/src/runtime/guest/**'],
      rules: { 'unicorn/no-thenable': 'off' },
    },
    {
      files: ['*.config.ts', 'web/vite.config.ts', 'tools/lint-plugin.ts'],
      rules: { 'import/no-default-export': 'off' },
    },
  ],
});
