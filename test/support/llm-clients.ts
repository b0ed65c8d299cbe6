import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { tool as langChainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import type { ChatMessage, ToolCallLLM } from '@llamaindex/core/llms';
import { tool as llamaIndexTool } from '@llamaindex/core/tools';
import { OpenAI as LlamaIndexOpenAI, OpenAIResponses } from '@llamaindex/openai';
import { generateText, isStepCount, type LanguageModel, Output, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { ResponsesToolRunner, runnerFunction } from 'openai/helpers/responses-tool-runner';
import {
  zodFunction,
  zodResponseFormat,
  zodResponsesFunction,
  zodTextFormat,
} from 'openai/helpers/zod';
import { z } from 'zod';
import type { ProviderKind } from './llm-workspace.ts';

/** Where a client finds the router, and what it asks for there. */
export interface RouterAccess {
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
}

/** What every client is asked for, in its own words, as its documentation writes them. */
export interface LlmClient {
  /** The answer to a question. */
  answer(question: string): Promise<string>;
  /** The same, in the pieces that come. */
  pieces(question: string): Promise<string[]>;
  /** The last answer, after the tool `weather` was called as often as the model wished. */
  withTool(question: string, weather: (input: Weather) => string): Promise<string>;
  /** An object of `FORECAST`. */
  forecast(question: string): Promise<unknown>;
}

const WEATHER = z.object({ place: z.string() });
type Weather = z.infer<typeof WEATHER>;
const DESCRIPTION = 'Tells the weather of a place.';
const FORECAST = z.object({ place: z.string(), degrees: z.number() });

/** Clients of each kind, with the protocol of the token that they need. */
export const LLM_CLIENTS: readonly (readonly [
  name: string,
  protocol: ProviderKind,
  make: (access: RouterAccess) => LlmClient,
])[] = [
  ['OpenAI, chat completions', 'openai-compatible', openAiChat],
  ['OpenAI, responses', 'openai-compatible', openAiResponses],
  ['Anthropic, messages', 'anthropic', anthropicMessages],
  ['AI SDK, chat completions', 'openai-compatible', aiSdkChat],
  ['AI SDK, responses', 'openai-compatible', aiSdkResponses],
  ['AI SDK, messages', 'anthropic', aiSdkMessages],
  ['LangChain, chat completions', 'openai-compatible', langChainChat],
  ['LangChain, responses', 'openai-compatible', langChainResponses],
  ['LangChain, messages', 'anthropic', langChainMessages],
  ['LlamaIndex, chat completions', 'openai-compatible', llamaIndexChat],
  ['LlamaIndex, responses', 'openai-compatible', llamaIndexResponses],
];

const TOKENS_MAX = 200;
const user = (content: string) => ({ role: 'user' as const, content });

function openAi({ url, apiKey }: RouterAccess): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${url}/openai/v1`, maxRetries: 0 });
}

function openAiChat(access: RouterAccess): LlmClient {
  const { completions } = openAi(access).chat;
  const asked = (question: string) => ({ model: access.model, messages: [user(question)] });
  return {
    async answer(question) {
      const { choices } = await completions.create(asked(question));
      return choices[0]?.message.content ?? '';
    },
    async pieces(question) {
      const chunks = await Array.fromAsync(
        await completions.create({ ...asked(question), stream: true }),
      );
      return chunks.flatMap(({ choices }) => choices[0]?.delta.content || []);
    },
    async withTool(question, weather) {
      const named = { name: 'weather', description: DESCRIPTION, parameters: WEATHER };
      const tools = [zodFunction({ ...named, function: weather })];
      return (await completions.runTools({ ...asked(question), tools }).finalContent()) ?? '';
    },
    async forecast(question) {
      const format = { response_format: zodResponseFormat(FORECAST, 'forecast') };
      const { choices } = await completions.parse({ ...asked(question), ...format });
      return choices[0]?.message.parsed;
    },
  };
}

function openAiResponses(access: RouterAccess): LlmClient {
  const client = openAi(access);
  const asked = (input: string) => ({ model: access.model, input });
  return {
    answer: async (question) => (await client.responses.create(asked(question))).output_text,
    async pieces(question) {
      const events = await client.responses.create({ ...asked(question), stream: true });
      return (await Array.fromAsync(events)).flatMap((event) =>
        event.type === 'response.output_text.delta' ? [event.delta] : [],
      );
    },
    async withTool(question, weather) {
      const named = { name: 'weather', description: DESCRIPTION, parameters: WEATHER };
      const called = runnerFunction(zodResponsesFunction({ ...named, function: weather }));
      const runner = new ResponsesToolRunner({ functions: [called] });
      return (await runner.run(client, asked(question))).output_text;
    },
    async forecast(question) {
      const text = { format: zodTextFormat(FORECAST, 'forecast') };
      return (await client.responses.parse({ ...asked(question), text })).output_parsed;
    },
  };
}

function anthropicMessages({ url, apiKey, model }: RouterAccess): LlmClient {
  const client = new Anthropic({ apiKey, baseURL: `${url}/anthropic`, maxRetries: 0 });
  const asked = (question: string) => ({
    model,
    max_tokens: TOKENS_MAX,
    messages: [user(question)],
  });
  const textOf = (content: readonly { readonly type: string; readonly text?: string }[]) =>
    content.map(({ text = '' }) => text).join('');
  return {
    answer: async (question) => textOf((await client.messages.create(asked(question))).content),
    async pieces(question) {
      const pieces: string[] = [];
      const stream = client.messages.stream(asked(question));
      await stream.on('text', (piece) => pieces.push(piece)).done();
      return pieces;
    },
    async withTool(question, weather) {
      const named = { name: 'weather', description: DESCRIPTION, inputSchema: WEATHER };
      const tools = [betaZodTool({ ...named, run: weather })];
      const runner = client.beta.messages.toolRunner({ ...asked(question), tools });
      return textOf((await runner.runUntilDone()).content);
    },
    async forecast(question) {
      const output = { output_config: { format: zodOutputFormat(FORECAST) } };
      return (await client.messages.parse({ ...asked(question), ...output })).parsed_output;
    },
  };
}

function aiSdkChat({ url, apiKey, model }: RouterAccess): LlmClient {
  return aiSdk(createOpenAI({ apiKey, baseURL: `${url}/openai/v1` }).chat(model));
}

function aiSdkResponses({ url, apiKey, model }: RouterAccess): LlmClient {
  return aiSdk(createOpenAI({ apiKey, baseURL: `${url}/openai/v1` })(model));
}

function aiSdkMessages({ url, apiKey, model }: RouterAccess): LlmClient {
  return aiSdk(createAnthropic({ apiKey, baseURL: `${url}/anthropic/v1` })(model));
}

function aiSdk(model: LanguageModel): LlmClient {
  const asked = (prompt: string) => ({ model, prompt, maxRetries: 0 });
  return {
    answer: async (question) => (await generateText(asked(question))).text,
    pieces: (question) => Array.fromAsync(streamText(asked(question)).textStream),
    async withTool(question, weather) {
      const described = tool({
        description: DESCRIPTION,
        inputSchema: WEATHER,
        execute: (input) => weather(input),
      });
      const stopWhen = isStepCount(4);
      const tools = { weather: described };
      // Streamed, so that the next step refers to what came in pieces.
      return streamText({ ...asked(question), tools, stopWhen }).text;
    },
    async forecast(question) {
      const output = Output.object({ schema: FORECAST });
      return (await generateText({ ...asked(question), output })).output;
    },
  };
}

function langChainChat(access: RouterAccess): LlmClient {
  return langChain(langChainOpenAi(access, false));
}

function langChainResponses(access: RouterAccess): LlmClient {
  return langChain(langChainOpenAi(access, true));
}

function langChainOpenAi({ url, apiKey, model }: RouterAccess, useResponsesApi: boolean) {
  const configuration = { baseURL: `${url}/openai/v1` };
  return new ChatOpenAI({ apiKey, model, configuration, useResponsesApi, maxRetries: 0 });
}

function langChainMessages({ url, apiKey, model }: RouterAccess): LlmClient {
  const anthropicApiUrl = `${url}/anthropic`;
  return langChain(
    new ChatAnthropic({ apiKey, model, anthropicApiUrl, maxTokens: TOKENS_MAX, maxRetries: 0 }),
  );
}

function langChain(model: BaseChatModel): LlmClient {
  return {
    answer: async (question) => (await model.invoke(question)).text,
    async pieces(question) {
      const chunks = await Array.fromAsync(await model.stream(question));
      return chunks.map(({ text }) => text).filter((text) => text !== '');
    },
    async withTool(question, weather) {
      const named = { name: 'weather', description: DESCRIPTION, schema: WEATHER };
      const called = langChainTool((input: Weather) => weather(input), named);
      const withTools = model.bindTools?.([called]) ?? model;
      const messages: BaseMessage[] = [new HumanMessage(question)];
      for (;;) {
        const said = await withTools.invoke(messages);
        const calls = 'tool_calls' in said && Array.isArray(said.tool_calls) ? said.tool_calls : [];
        if (calls.length === 0) return said.text;
        messages.push(said);
        for (const call of calls) messages.push(await called.invoke(call));
      }
    },
    forecast: (question) => model.withStructuredOutput(FORECAST).invoke(question),
  };
}

function llamaIndexChat({ url, apiKey, model: name }: RouterAccess): LlmClient {
  const baseURL = `${url}/openai/v1`;
  const model = new LlamaIndexOpenAI({ apiKey, model: name, baseURL, maxRetries: 0 });
  return {
    ...llamaIndex(model),
    async forecast(question) {
      const asked = { messages: [user(question)], responseFormat: FORECAST };
      return JSON.parse(textOfMessage((await model.chat(asked)).message)) as unknown;
    },
  };
}

function llamaIndexResponses({ url, apiKey, model: name }: RouterAccess): LlmClient {
  const baseURL = `${url}/openai/v1`;
  const model = new OpenAIResponses({ apiKey, model: name, baseURL, maxRetries: 0 });
  return {
    ...llamaIndex(model),
    async forecast(question) {
      // It drops `responseFormat`, whatever the server.
      const { type, name: named, schema } = zodTextFormat(FORECAST, 'forecast');
      const additionalChatOptions = { text: { format: { type, name: named, schema } } };
      const asked = { messages: [user(question)], additionalChatOptions };
      return JSON.parse(textOfMessage((await model.chat(asked)).message)) as unknown;
    },
  };
}

function textOfMessage({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function llamaIndex(model: ToolCallLLM): Omit<LlmClient, 'forecast'> {
  return {
    async answer(question) {
      return textOfMessage((await model.chat({ messages: [user(question)] })).message);
    },
    async pieces(question) {
      const chunks = await model.chat({ messages: [user(question)], stream: true });
      const pieces: string[] = [];
      // With responses, it repeats the last piece for each event of another kind.
      for await (const { raw, delta } of chunks) {
        const { type = 'response.output_text.delta' } = raw as { readonly type?: string };
        if (type === 'response.output_text.delta' && delta !== '') pieces.push(delta);
      }
      return pieces;
    },
    async withTool(question, weather) {
      const called = llamaIndexTool({
        name: 'weather',
        description: DESCRIPTION,
        parameters: WEATHER,
        execute: (input: Weather) => weather(input),
      });
      const messages: ChatMessage[] = [user(question)];
      for (;;) {
        const { newMessages, toolCalls } = await model.exec({ messages, tools: [called] });
        messages.push(...newMessages);
        if (toolCalls.length === 0) return newMessages.map(textOfMessage).join('');
      }
    },
  };
}
