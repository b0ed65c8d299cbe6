import { must } from '#base/assert.ts';
import type { HttpServices } from '#http/services.ts';
import type { GraphServices } from './open-services.ts';

type Always = Omit<HttpServices, keyof GraphServices>;

/**
 * The services of a server that listens before it has its graph. Until they are there only the area `status` answers, so nobody
 * meets one that is missing.
 */
export class StartingServices implements HttpServices {
  readonly status: HttpServices['status'];
  readonly replicas: HttpServices['replicas'];
  readonly backups: HttpServices['backups'];
  readonly frontEnd: HttpServices['frontEnd'];
  readonly sequence: HttpServices['sequence'];
  readonly waitForSequence: HttpServices['waitForSequence'];
  #graph: GraphServices | undefined;

  constructor({ status, replicas, backups, frontEnd, sequence, waitForSequence }: Always) {
    this.status = status;
    this.replicas = replicas;
    this.backups = backups;
    this.frontEnd = frontEnd;
    this.sequence = sequence;
    this.waitForSequence = waitForSequence;
  }

  provide(graph: GraphServices): void {
    this.#graph = graph;
  }

  get identity() {
    return this.#there.identity;
  }
  get running() {
    return this.#there.running;
  }
  get passwordReset() {
    return this.#there.passwordReset;
  }
  get tasks() {
    return this.#there.tasks;
  }
  get migrations() {
    return this.#there.migrations;
  }
  get agents() {
    return this.#there.agents;
  }
  get agentRuns() {
    return this.#there.agentRuns;
  }
  get users() {
    return this.#there.users;
  }
  get teams() {
    return this.#there.teams;
  }
  get audit() {
    return this.#there.audit;
  }
  get access() {
    return this.#there.access;
  }
  get principals() {
    return this.#there.principals;
  }
  get workspace() {
    return this.#there.workspace;
  }
  get interfaces() {
    return this.#there.interfaces;
  }
  get apiDocument() {
    return this.#there.apiDocument;
  }
  get definitions() {
    return this.#there.definitions;
  }
  get tokens() {
    return this.#there.tokens;
  }
  get schema() {
    return this.#there.schema;
  }
  get nodes() {
    return this.#there.nodes;
  }
  get nodeFiles() {
    return this.#there.nodeFiles;
  }
  get ingest() {
    return this.#there.ingest;
  }
  get searchConfiguration() {
    return this.#there.searchConfiguration;
  }
  get goldenSets() {
    return this.#there.goldenSets;
  }
  get embeddings() {
    return this.#there.embeddings;
  }
  get mcp() {
    return this.#there.mcp;
  }
  get chat() {
    return this.#there.chat;
  }
  get deepResearch() {
    return this.#there.deepResearch;
  }
  get tools() {
    return this.#there.tools;
  }
  get adminAgent() {
    return this.#there.adminAgent;
  }
  get llmSearchSettings() {
    return this.#there.llmSearchSettings;
  }
  get aiProviders() {
    return this.#there.aiProviders;
  }
  get llm() {
    return this.#there.llm;
  }
  get endpoints() {
    return this.#there.endpoints;
  }
  get build() {
    return this.#there.build;
  }
  get editor() {
    return this.#there.editor;
  }
  get codeHistory() {
    return this.#there.codeHistory;
  }
  get endpointLogs() {
    return this.#there.endpointLogs;
  }
  get statistics() {
    return this.#there.statistics;
  }
  get license() {
    return this.#there.license;
  }
  get logs() {
    return this.#there.logs;
  }
  get jobs() {
    return this.#there.jobs;
  }
  get sso() {
    return this.#there.sso;
  }

  get #there(): GraphServices {
    return must(this.#graph, 'the graph of a server that is ready');
  }
}
