export type ProgramName = 'gateway' | 'workers' | 'launcher' | 'migrate' | 'health' | 'admin' | 'planner-thread';

export function isBuilt(): boolean;
export function buildPrograms(): Promise<void>;
export function stopCompiler(): Promise<void>;
/** The file of a compiled program. */
export function compiledFile(name: ProgramName): string;
/** The file that a program is compiled from. */
export function sourceFile(name: ProgramName): string;
