-- A task gets its place among the moving ones when it is made, or later, when somebody takes it.
ALTER TYPE task_line ADD ATTRIBUTE "movingWhileOpen" boolean;
